"""Both builds of the site, and the server that rebuilds them on save."""
