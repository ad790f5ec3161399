"""One module per command. Each holds one function that typer turns into the command; heavy rooms are imported inside."""
