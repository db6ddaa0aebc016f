/** A position in a text file: 1-based line and column. */
export interface Position {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** One thing that is wrong with an input, printed as `file:line:column: message`. */
export interface Complaint extends Position {
  readonly message: string;
}

/** Base of every error whose text a user is meant to read; always ends the run with exit code 2. */
export abstract class InputError extends Error {
  readonly complaints: readonly Complaint[];

  constructor(message: string, complaints: readonly Complaint[] = []) {
    super(message);
    this.name = new.target.name;
    this.complaints = complaints;
  }
}

/** The command line cannot be understood or carried out as typed. */
export class UsageError extends InputError {}

/** The configuration, or a file that it names, is wrong; carries one complaint a fault. */
export class ConfigError extends InputError {}

/** A rule module cannot be loaded or is not a rule. */
export class RuleLoadError extends InputError {}

/** helm cannot be found, started or used at all (a failed render of one environment is a `Failure`, not this). */
export class HelmError extends InputError {}

/** Exit codes of every command: 0 clean, 1 findings, 2 could not do the whole job. */
export const exitCodes = { clean: 0, findings: 1, incomplete: 2 } as const;
