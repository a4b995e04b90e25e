"""A league: a server that a club leaves running, to which authors submit bots and where they play on."""
