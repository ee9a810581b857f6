"""The one exception that the lab reports to its user: a full sentence, with the remedy where there is one."""


class LabError(Exception):
    pass
