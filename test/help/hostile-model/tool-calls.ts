import type { Words } from './hostile-server.ts'
import type { Knowledge, ModelCall } from './knowledge.ts'
import { oddPath, oddText, oddValue } from './odd-texts.ts'
import type { Chance } from './random.ts'

type Arguments = Record<string, unknown>

const TOOLS = [
  'log_templates',
  'search_logs',
  'list_files',
  'read_file',
  'search_source',
  'check_states',
  'check_history',
  'recent_findings',
  'stage_edit',
] as const

/** Names of operations of the server that no model may reach, and names that are no names. */
const OTHER_NAMES = [
  'deploy',
  'approve_proposal',
  'maintenance.approve-proposal',
  'maintenance.tool-signals',
  'read_signals',
  'apps.read-environment',
  'run_shell',
  'fetch_url',
  'READ_FILE',
  'read_file ',
  'read\u200b_file',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'x'.repeat(5_000),
  '../finish',
] as const

const LITERALS = [
  'order',
  'password',
  'hunt',
  'letm',
  'sk_live_',
  'AKIA',
  'svcrun',
  'marker-',
  'Error',
  '[redacted]',
  'at ',
]
const INSERTED = [' ?? 0', '?.length', ' // fixed', '\n  // checked', " + ''", '\u2800', '\u202e', ' '.repeat(90), '\r']

/** Makes a call: most name a tool, and half of those have arguments that fit its schema. */
export function toolCall(chance: Chance, knowledge: Knowledge, words: Words): ModelCall {
  if (chance.is(0.08)) return { name: chance.oneOf(OTHER_NAMES), arguments: JSON.stringify(oddArguments(chance, {})) }
  const name = chance.oneOf(TOOLS)
  const given = argumentsOf(name, chance, knowledge, words)
  if (chance.is(0.5)) return { name, arguments: JSON.stringify(given) }
  return { name, arguments: chance.is(0.15) ? brokenJson(chance, given) : JSON.stringify(oddArguments(chance, given)) }
}

function argumentsOf(
  name: (typeof TOOLS)[number],
  chance: Chance,
  knowledge: Knowledge,
  { foreign, searched }: Words,
): Arguments {
  const path = chance.is(0.7) && knowledge.paths.length > 0 ? chance.oneOf(knowledge.paths) : anyPath(chance, foreign)
  switch (name) {
    case 'log_templates':
      return chance.is(0.5) ? {} : { hours: 1 + chance.int(168) }
    case 'search_logs':
      return { literal: chance.oneOf([...LITERALS, ...foreign, ...searched]), limit: 1 + chance.int(200) }
    case 'search_source':
      return { literal: chance.oneOf([...LITERALS, ...foreign, ...searched]) }
    case 'read_file':
      return { path, ...(chance.is(0.3) && { from_line: 1 + chance.int(40), to_line: 1 + chance.int(60) }) }
    case 'check_history':
      return { name: chance.oneOf([...knowledge.checks, ...foreign, 'home']) }
    case 'stage_edit':
      return editOf(chance, knowledge, path)
    case 'list_files':
    case 'check_states':
    case 'recent_findings':
      return {}
    default:
      return name satisfies never
  }
}

function anyPath(chance: Chance, foreign: readonly string[]): string {
  return chance.is(0.3)
    ? `${chance.oneOf(['..', '/apps', '/data'])}/${chance.oneOf(foreign)}/src/own.js`
    : oddPath(chance)
}

/** Replaces a part of a line that the model has read, or guesses one. */
function editOf(chance: Chance, { texts }: Knowledge, path: string): Arguments {
  const files = [...texts]
  if (files.length === 0 || chance.is(0.2)) return { path, old: chance.oneOf(LITERALS), new: oddText(chance) }
  const [read, text] = chance.oneOf(files)
  const line = chance.oneOf(
    text
      .split('\n')
      .filter((one) => one.trim() !== '')
      .concat('x'),
  )
  return { path: read, old: line, new: `${line}${chance.is(0.7) ? chance.oneOf(INSERTED) : oddText(chance)}` }
}

const EXTRA_FIELDS = ['app_id', 'org_id', 'alias', 'execution_id', 'revision_id', 'token', '__proto__', 'constructor']

function oddArguments(chance: Chance, given: Arguments): unknown {
  const keys = Object.keys(given)
  const key = keys.length > 0 ? chance.oneOf(keys) : 'path'
  switch (chance.int(6)) {
    case 0:
      return Object.fromEntries(Object.entries(given).filter(([name]) => name !== key))
    case 1:
      return { ...given, ...Object.fromEntries(EXTRA_FIELDS.map((name) => [name, oddValue(chance)])) }
    case 2:
      return oddValue(chance)
    case 3:
      return { ...given, [key]: [given[key]] }
    default:
      return { ...given, [key]: oddValue(chance) }
  }
}

function brokenJson(chance: Chance, given: Arguments): string {
  const text = JSON.stringify(given)
  return chance.oneOf([
    text.slice(0, chance.int(text.length)),
    `${text}${text}`,
    `{"__proto__":${text}}`,
    `{"path":"a","path":"src/cart.js","hours":1e999}`,
    text.replaceAll('"', "'"),
    '',
    ' ',
    'undefined',
    '\ufeff{}',
    '['.repeat(30_000),
    // As deep as a call can be that is sent back to the model with the next request.
    `{"path":${'['.repeat(19_900)}${']'.repeat(19_900)}}`,
  ])
}
