"""Parts of Scripts/foreign: set-ups of servers that are not Strata's, the way they are started, and the cases."""
