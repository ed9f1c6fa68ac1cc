"""Programs to mend: `exercises/`, what runs a reader's attempt, and the folder it lies in."""
