// The error of a command that cannot be run as given: shown by its message, without a stack trace.

export class CommandError extends Error {}
