"""Parts of Scripts/chaos any-api: three servers, a home, and the ledger of what was written."""
