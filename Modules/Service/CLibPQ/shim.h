#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#error "libpq-fe.h was not found. Install libpq-dev (Debian's name), or set STRATA_POSTGRES=0 to build without PostgreSQL."
#endif
