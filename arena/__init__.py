"""An arena for bots that play Call Break: it referees, ranks and reports."""
