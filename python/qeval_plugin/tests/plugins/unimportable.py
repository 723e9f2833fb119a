"""A plugin that lacks something."""

import no_such_module
