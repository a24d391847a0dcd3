"""What all apps need of the web; no tables."""
