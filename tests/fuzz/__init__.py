"""Random trials of the reference loop and hostile files for the loader, by the million."""
