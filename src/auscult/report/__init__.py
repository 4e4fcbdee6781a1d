"""Pages and pictures: what was found, to be looked at in a browser without a network."""
