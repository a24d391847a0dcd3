#!/usr/bin/env python
"""Django's command line for the studio."""

import os
import sys

from django.core.management import execute_from_command_line


def name_data_folder(argv: list[str]) -> None:
    """Give `--data DIR` to the settings, which are read before any command sees its options."""
    for word, following in zip(argv, [*argv[1:], ""], strict=True):
        option, equals, value = word.partition("=")
        if option == "--data" and (folder := value if equals else following):
            os.environ["STUDIO_DATA"] = os.path.abspath(folder)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studio.settings")
    name_data_folder(sys.argv)
    execute_from_command_line(sys.argv)
