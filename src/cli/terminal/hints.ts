import type { ErrorCode, ServiceError } from '#contract/core/errors.ts'
import { secondsText } from '#contract/core/seconds-text.ts'
import type { Config } from '../command/config.ts'
import { HintedError } from '../command/hinted-error.ts'

type Program = Config['program']
type Hint = {
  readonly text: string | ((program: Program, detail: string) => string | undefined)
  /** Whether it also follows a message with advice of its own, because it adds a command. */
  readonly always?: true
}

/** The command that lists each kind of thing that the instance can refuse with "No such …". */
export const LIST_COMMANDS: Readonly<Record<string, string>> = {
  app: 'apps list',
  'data source': 'datasource list',
  database: 'db list',
  'API token': 'tokens list',
  'agent of the company': 'company agents',
  channel: 'notifications channels list',
  check: 'checks list <alias>',
  'connected agent': 'agents list',
  delivery: 'notifications deliveries list',
  deploy: 'apps deploys <alias>',
  finding: 'apps maintenance findings <alias>',
  function: 'functions list',
  invitation: 'invitations list',
  'maintenance run': 'apps maintenance runs <alias>',
  member: 'members list',
  'member of this organization': 'members list',
  notification: 'notifications list',
  'person in this app': 'apps people list <alias>',
  pipeline: 'pipelines list <alias>',
  proposal: 'apps proposals list <alias>',
  revision: 'apps revisions list <alias>',
  run: 'pipelines runs <alias> <name>',
  subscription: 'notifications subscriptions list',
  ticket: 'tickets list <alias>',
  'trusted identity provider': 'company show',
  webhook: 'notifications channels list',
}

/**
 * The next step for each error code whose messages do not always name one. A message of two sentences does, so its hint is
 * left out unless it is printed always.
 */
const HINTS: Partial<Record<ErrorCode, Hint>> = {
  INVALID_TOKEN: { text: (program) => `Log in: ${program} login --api-url <url> --api-key-stdin`, always: true },
  FORBIDDEN: {
    text: (program) => `Ask an owner of your organization, or use another login: ${program} context use <name>`,
  },
  READ_ONLY_SESSION: {
    text: (program) => `Use a login that can make changes: ${program} context use <name>`,
    always: true,
  },
  NOT_FOUND: { text: listHint },
  INVALID_REQUEST: { text: 'Add --help to the command to see what it takes.', always: true },
  CONFLICT: { text: 'Nothing was changed.' },
  RATE_LIMITED: { text: 'Wait a little, then try again.' },
  UNAVAILABLE: { text: 'Try again later.' },
  TIMEOUT: { text: 'Try again, or allow more time with --timeout.' },
  INTERNAL: { text: 'Try again. If it happens again, tell the operator of this instance.' },
}

/** Returns what to do next, or undefined if the message says it or if nothing general can be said. */
export function hintFor(error: ServiceError, program: Program): string | undefined {
  if (error instanceof HintedError) return typeof error.hint === 'function' ? error.hint(program) : error.hint
  if (error.retryAfterSeconds !== undefined) {
    // Some messages name the time to wait already.
    return error.message.includes('Try again in') ? undefined : `Try again in ${secondsText(error.retryAfterSeconds)}.`
  }
  const hint = HINTS[error.code]
  if (hint === undefined || (!hint.always && hasAdvice(error.message))) return undefined
  return typeof hint.text === 'string' ? hint.text : hint.text(program, error.message)
}

/** Messages say what happened, then what to do: a second sentence is advice. */
function hasAdvice(detail: string): boolean {
  return /[.!?] \S/.test(detail)
}

function listHint(program: Program, detail: string): string | undefined {
  const [, thing = ''] = /^No such ([\w ]+?)(?:\.|:| `)/.exec(detail) ?? []
  const command = Object.hasOwn(LIST_COMMANDS, thing) ? LIST_COMMANDS[thing] : undefined
  return command === undefined ? undefined : `List what exists: ${program} ${command}`
}
