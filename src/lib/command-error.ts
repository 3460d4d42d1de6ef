// The complaint of a command that cannot be carried out as it was given: its message says all, where it arose says nothing.

export class CommandError extends Error {}
