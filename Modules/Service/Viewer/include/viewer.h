#pragma once
#include <stddef.h>

/// Swagger UI's script and style, compressed by gzip. The bytes are part of the program.
const unsigned char *strata_viewer_script(void);
size_t strata_viewer_script_size(void);
const unsigned char *strata_viewer_style(void);
size_t strata_viewer_style_size(void);
