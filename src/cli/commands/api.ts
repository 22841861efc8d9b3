import { fromProblem, type Problem, type ServiceError } from '#contract/core/errors.ts'
import { callRaw } from '../call/api.ts'
import type { LoginFlags } from '../command/command.ts'
import { HintedError, usageError } from '../command/hinted-error.ts'
import { requireLogin } from '../login/credentials.ts'
import type { Cli } from '../terminal/cli.ts'
import { toJson } from '../terminal/output.ts'
import { printable, printableLines } from '../terminal/printable.ts'
import { readData } from '../terminal/read-data.ts'

type Flags = LoginFlags & { data?: string; header?: string[]; include?: boolean }

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']
const BODILESS = ['GET', 'HEAD']

export async function run([given, path]: [string, string], flags: Flags, cli: Cli): Promise<void> {
  const method = parseMethod(given)
  if (!path.startsWith('/')) throw usageError(`<path> must begin with a slash, as in /api/v1/me, not ${path}.`)
  const headers = (flags.header ?? []).map(parseHeader)
  const login = await requireLogin(cli.config, flags.context)
  const body = await readBody(method, flags.data, cli)
  const call = { method, path, headers, ...(body !== undefined && { body }) }
  const response = await cli.progress(`${method} ${path}`, callRaw(login, call, cli, flags.timeout))
  const text = await response.text()
  if (flags.include) cli.print([...headLines(response), ''])
  if (text !== '') cli.print(formatBody(text, cli))
  if (!response.ok) throw toError(response, text)
}

/** Names the status only, because the message is in the body, which was printed. Without a body nothing was. */
function toError(response: Response, text: string): ServiceError {
  const error = readError(response, text)
  if (text === '') return error
  return new HintedError(error.code, `The instance answered with ${response.status} (${error.code}).`, undefined, error)
}

function parseMethod(given: string): string {
  const method = given.toUpperCase()
  if (METHODS.includes(method)) return method
  throw usageError(`<method> must be one of ${METHODS.join(', ')}, not ${given}.`)
}

function parseHeader(text: string): [string, string] {
  const match = /^([!#$%&'*+.^_`|~\w-]+):\s*([\x20-\x7e]*)$/.exec(text)
  if (!match) throw usageError('--header must be written as "Name: value".')
  return [match[1]!, match[2]!]
}

async function readBody(method: string, data: string | undefined, cli: Cli): Promise<string | undefined> {
  if (data === undefined) return undefined
  if (BODILESS.includes(method)) throw usageError(`${method} sends no body. Leave out --data.`)
  return readData(data, cli)
}

/** Returns the body unchanged for programs. For a terminal it is indented and control characters are escaped. */
function formatBody(text: string, cli: Cli): string {
  if (cli.columns === undefined) return text.trimEnd()
  try {
    return toJson(JSON.parse(text))
  } catch {
    return printableLines(text.trimEnd())
  }
}

function headLines({ status, statusText, headers }: Response): string[] {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`)
  return [`HTTP ${status} ${statusText}`.trimEnd(), ...lines].map(printable)
}

function readError(response: Response, text: string): ServiceError {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return fromProblem(problemOf(text), response.status, Number.isFinite(retryAfter) ? retryAfter : undefined)
}

function problemOf(text: string): Partial<Problem> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
