#include "viewer.h"

// `#embed` is C23 and in every clang of a Swift toolchain that this package supports.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char script[] = {
#embed "swagger-ui-bundle.js.gz"
};

static const unsigned char style[] = {
#embed "swagger-ui.css.gz"
};

const unsigned char *strata_viewer_script(void) { return script; }
size_t strata_viewer_script_size(void) { return sizeof script; }
const unsigned char *strata_viewer_style(void) { return style; }
size_t strata_viewer_style_size(void) { return sizeof style; }
