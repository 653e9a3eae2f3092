from .escape import escape_label as escape_label
from .escape import escape_name as escape_name
from .escape import unescape as unescape
from .tables import named_rows as named_rows
