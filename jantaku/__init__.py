"""The `jantaku` command: wires the rooms into processes."""
