"""`python -m jantaku`: the same as the `jantaku` command; also how the supervisor starts its children."""

from jantaku.command import main

if __name__ == "__main__":
    main()
