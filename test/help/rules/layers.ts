import { posix } from 'node:path'

export type SourceFile = { path: string; text: string }

const SHARED = ['contract', 'lib', 'edge']
const CLIENTS = ['cli', 'console', 'worker-sdk']
/** The only readers of the environment, one per part. */
const ENVIRONMENT_READERS = ['server/config/reader.ts', 'cli/command/config.ts', 'worker-sdk/config.ts']
/** Writes one variable and reads none. */
const ENVIRONMENT_WRITERS = ['lib/processes/native-environment.ts']
/**
 * Where programs are started. The client's own run for its user, and the script inside a sandbox runs there alone.
 */
const PROCESS_STARTERS = [
  'lib/processes/start-process.ts',
  'server/areas/apps/process/sandbox/inside.ts',
  'cli/terminal/pager.ts',
  'cli/terminal/browser.ts',
  'cli/commands/db/psql.ts',
]
const HTTP_PACKAGES =
  /^(?:undici|axios|got|ky|node-fetch|superagent|ws|eventsource|(?:node:)?(?:https?|http2|net|tls|dgram))(?:\/|$)/
const MAIL_PACKAGES = /^(?:nodemailer|emailjs|smtp-client)(?:\/|$)/
/** The folders of outgoing and incoming HTTP. */
const HTTP_ROOMS = [
  // The receiver that `svc notifications webhook-receiver` runs on the person's own machine.
  'cli/commands/notifications/webhook/listen.ts',
  // The client calls the instance that the person logged in to.
  'cli/call/fast/exchange.ts',
  // The worker calls the instance that it belongs to.
  'worker-sdk/fast/send-text.ts',
  'lib/net/',
  'edge/listen/incoming.ts',
  'edge/listen/listen.ts',
  'edge/listen/connection.ts',
  'edge/listen/connection-limits.ts',
  'edge/listen/body-rate.ts',
  'edge/listen/upgrade.ts',
  'edge/listen/request-info.ts',
  'server/main.ts',
  'server/areas/apps/process/sandbox/inside.ts',
  'server/areas/databases/engine/embedded/wire',
]

/** Returns every import that breaks a layer rule. Paths are relative to `src`. */
export function findViolations(files: readonly SourceFile[]): string[] {
  const sources = files.filter(({ path }) => !/\.test\.tsx?$/.test(path))
  const imports = sources.map((file) => ({ ...file, imports: importsOf(file) }))
  return [
    ...imports.flatMap((file) => file.imports.flatMap((to) => arrowFaults(file.path, to))),
    ...sources.flatMap(environmentFaults),
    ...sources.flatMap(fetchFaults),
    ...sources.flatMap(processFaults),
    ...sources.flatMap(outputFaults),
    ...sources.flatMap(connectionFaults),
    ...fetchNamedOnce(sources),
    ...cycles(new Map(imports.map((file) => [file.path, file.imports]))),
    ...folderCycles(imports),
  ]
}

const PORTS = 'server/ports'
/** Public files of areas beside their `index.ts`, for commands whose memory is limited: an index loads its whole area. */
const ENTRIES_OF_COMMANDS = ['server/areas/databases/dump/index.ts']

/**
 * Returns the area (`server/areas/<area>`), the ports of all areas, `server` for everything else of the server, or the top
 * folder.
 */
export function roomOf(path: string): string {
  const [top = '', second, area] = path.split('/')
  if (top !== 'server') return top
  if (second === 'ports') return PORTS
  return second === 'areas' ? `server/areas/${area}` : top
}

function isArea(room: string): boolean {
  return room.startsWith('server/areas/')
}

/** Returns the imports of a file: our own as paths relative to `src`, packages as they are written. */
export function importsOf({ path, text }: SourceFile): string[] {
  const specifier = /(?:\bfrom|\bimport)\s*\(?\s*['"`]([^'"`\n]+)['"`]/g
  return [...withoutComments(text).matchAll(specifier)].map(([, spec]) => {
    if (spec!.startsWith('#ports/')) return `server/${spec!.slice(1)}`
    if (spec!.startsWith('#')) return spec!.slice(1)
    return spec!.startsWith('.') ? posix.join(posix.dirname(path), spec!) : `package:${spec}`
  })
}

function arrowFaults(from: string, to: string): string[] {
  if (to.startsWith('package:')) return packageFaults(from, to.slice('package:'.length))
  if (to === '../package.json') return []
  const [source, target] = [roomOf(from), roomOf(to)]
  if (mayImport(source, target, to)) return []
  const why =
    isArea(source) && isArea(target) ? 'an area never imports another area' : `${source} may not import ${target}`
  return [`${from} -> ${to}: ${why}`]
}

function mayImport(source: string, target: string, to: string): boolean {
  if (source === target) return true
  if (source === 'contract' || source === 'lib') return false
  if (source === 'edge') return target === 'contract' || target === 'lib'
  if (CLIENTS.includes(source)) return target === 'contract'
  if (source === PORTS) return SHARED.includes(target)
  if (SHARED.includes(target) || target === PORTS) return isArea(source) || source === 'server'
  return source === 'server' && isArea(target) && (to === `${target}/index.ts` || ENTRIES_OF_COMMANDS.includes(to))
}

function packageFaults(from: string, name: string): string[] {
  const room = roomOf(from)
  if (room === 'contract' && name !== 'zod') return [`${from} -> ${name}: contract imports zod only`]
  if (HTTP_PACKAGES.test(name) && !HTTP_ROOMS.some((place) => from.startsWith(place))) {
    return [`${from} -> ${name}: HTTP goes through safeFetch or operatorFetch`]
  }
  if (room === 'cli' && name === 'pg' && !from.startsWith('cli/commands/db/embed/')) {
    return [`${from} -> ${name}: only svc db embed connects to Postgres`]
  }
  if (MAIL_PACKAGES.test(name) && !from.startsWith('lib/net/')) {
    return [`${from} -> ${name}: mail goes through lib/net/mail/mail.ts`]
  }
  return []
}

const DATABASES = 'server/areas/databases'
/** The only files that open connections to Postgres. Those to managed databases are the first two. */
const CONNECTION_OPENERS = [
  `${DATABASES}/engine/postgres/entrance.ts`,
  `${DATABASES}/engine/pools.ts`,
  `${DATABASES}/servers/open-servers.ts`,
  'server/areas/example/fill.ts',
  'server/process/open-database.ts',
  'cli/commands/db/embed/connection.ts',
  'lib/db/',
]
/** Files that use the driver only for its quoting, its types and its errors. */
const DRIVER_USERS = [
  'server/areas/data-sources/search/row-security.ts',
  'server/areas/data-sources/search/database-errors.ts',
  'server/areas/data-sources/configure/grants.ts',
  `${DATABASES}/engine/embedded/own-types.ts`,
  `${DATABASES}/engine/embedded/logins.ts`,
  `${DATABASES}/engine/embedded/wire-session.ts`,
  `${DATABASES}/engine/schema-grants.ts`,
]
/** Their packages are judged by `packageFaults`. */
const JUDGED_BY_PACKAGE = ['contract/', 'cli/']
const NEW_CONNECTION =
  /\bnew\s+pg\s*\.|=\s*pg\s*\.\s*(?:Client|Pool|Connection|native)\b|\{[^}]*\b(?:Client|Pool|Connection|native)\b[^}]*\}\s*=\s*pg\b/
const DRIVER = /\b(?:from|import|require)\s*\(?\s*['"`](?:pg(?:-[a-z-]+)?|postgres)(?:\/[^'"`]*)?['"`]/

/**
 * The files that name the way of the platform's role into managed databases. What a new one does must be done to the
 * hostile database in server/areas/databases/hostile-database.test.ts too.
 */
const ENTRANTS = [
  ...['alter-role', 'drop', 'dump-role', 'engine', 'entrance', 'left-roles', 'owner-limit', 'prepared', 'template'].map(
    (name) => `${DATABASES}/engine/postgres/${name}.ts`,
  ),
  `${DATABASES}/engine/engine.ts`,
  ...['count-rows', 'lists', 'programs', 'role-settings'].map((name) => `${DATABASES}/copy/${name}.ts`),
  ...['check', 'compare', 'copy', 'fill', 'owner-gate', 'undo'].map((name) => `${DATABASES}/move/${name}.ts`),
  ...['dump-database', 'restore-database', 'sql-dump'].map((name) => `${DATABASES}/dump/${name}.ts`),
]
const CLIENT_PROGRAM =
  /['"`](?:[^'"`\s]*\/)?(?:pg_dump|pg_restore|pg_dumpall|pg_basebackup|psql|vacuumdb|reindexdb|clusterdb)['"`]/

const OPENED_ELSEWHERE =
  'connections to managed databases are opened by engine/postgres/entrance.ts and engine/pools.ts only'
/** Judges by what a file names and not by how it calls it, because a call can be written in many ways. */
const NAMED_ONLY_BY: readonly { names: RegExp; places: readonly string[]; why: string }[] = [
  { names: DRIVER, places: [...CONNECTION_OPENERS, ...DRIVER_USERS, ...JUDGED_BY_PACKAGE], why: OPENED_ELSEWHERE },
  { names: NEW_CONNECTION, places: CONNECTION_OPENERS, why: OPENED_ELSEWHERE },
  { names: /\bopenPostgres\b/, places: CONNECTION_OPENERS, why: OPENED_ELSEWHERE },
  {
    names: /\b(?:createPools|pools\s*\??\.\s*open)\b/,
    places: [`${DATABASES}/engine/pools.ts`, `${DATABASES}/index.ts`],
    why: OPENED_ELSEWHERE,
  },
  {
    names: /\b(?:entrance|createEntrance)\b/,
    places: ENTRANTS,
    why: 'enters a managed database; add it to ENTRANTS and to hostile-database.test.ts',
  },
  {
    names: CLIENT_PROGRAM,
    places: [`${DATABASES}/copy/`, `${DATABASES}/dump/`, `${DATABASES}/move/copy.ts`, 'cli/'],
    why: 'programs of Postgres are started by databases/copy/programs.ts only',
  },
]

function connectionFaults({ path, text }: SourceFile): string[] {
  const code = withoutTypeImports(withoutComments(text))
  const faults = NAMED_ONLY_BY.filter(
    ({ names, places }) => names.test(code) && !places.some((place) => path.startsWith(place)),
  )
  return [...new Set(faults.map(({ why }) => `${path}: ${why}`))]
}

function environmentFaults({ path, text }: SourceFile): string[] {
  const reads = /\bprocess\s*(?:\.\s*env\b|\[\s*['"]env)|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b|import\.meta\.env/.test(
    withoutComments(text),
  )
  return reads && ![...ENVIRONMENT_READERS, ...ENVIRONMENT_WRITERS].includes(path)
    ? [`${path}: only ${ENVIRONMENT_READERS.join(', ')} read the environment`]
    : []
}

const STARTS_PROCESSES =
  /\b(?:from|import|require)\s*\(?\s*['"`](?:node:)?(?:child_process|cluster)['"`]|\bprocess\s*\.\s*execve\b/

/** Types may be imported anywhere. */
function processFaults({ path, text }: SourceFile): string[] {
  const code = withoutTypeImports(withoutComments(text))
  if (!STARTS_PROCESSES.test(code) || PROCESS_STARTERS.includes(path)) return []
  return [`${path}: programs are started by lib/processes/start-process.ts, which closes descriptors`]
}

/** The door, the keeper and the embedded engine are children, whose output only svc reads. */
const OUTPUT_WRITERS = [
  'server/process/output.ts',
  'server/areas/apps/door/program/door-child.ts',
  'server/areas/apps/keeper/program/keeper-child.ts',
  'server/areas/databases/engine/embedded/engine-child.ts',
]

/** Text of tenants reaches terminals of operators, so one file shows its invisible characters. The logs are JSON. */
function outputFaults({ path, text }: SourceFile): string[] {
  const code = withoutComments(text)
  const writes =
    /\bprocess\s*\.\s*(?:stdout|stderr)\b|\b(?:stdout|stderr)\b[^=;]*\}\s*=\s*process\b|\bconsole\s*\.\s*(?:log|error|warn|info|debug)\b/.test(
      code,
    )
  if (!path.startsWith('server/') || !writes || OUTPUT_WRITERS.includes(path)) return []
  return [`${path}: terminals are written to by server/process/output.ts, which shows invisible characters`]
}

const NAMES_FETCH =
  /\bnew\s+(?:WebSocket|EventSource|XMLHttpRequest)\b|\bgetBuiltinModule\b|(?<![.\w'"`-])fetch\(|\b(?:globalThis|window|self)\s*(?:\.\s*fetch\b|\[)|[=:]\s*fetch\s*(?:[;,)}]|$)|\bfetch\b[^=]*\}\s*=\s*globalThis/m

function fetchFaults({ path, text }: SourceFile): string[] {
  const serverSide = path.startsWith('server/') || path.startsWith('edge/')
  if (!serverSide || !NAMES_FETCH.test(withoutComments(text))) return []
  return [`${path}: no bare fetch; addresses users type go through safeFetch, configured ones through operatorFetch`]
}

/** Each client part talks to the network in one file. */
function fetchNamedOnce(files: readonly SourceFile[]): string[] {
  return CLIENTS.flatMap((part) => {
    const naming = files.filter(({ path, text }) => roomOf(path) === part && NAMES_FETCH.test(withoutComments(text)))
    return naming.length > 1
      ? [`${part} names fetch in ${naming.map(({ path }) => path).join(', ')}: once is enough`]
      : []
  })
}

function cycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const walk = (path: string, trail: string[]): void => {
    const start = trail.indexOf(path)
    if (start !== -1) found.push(`a cycle: ${[...trail.slice(start), path].join(' -> ')}`)
    if (start !== -1 || done.has(path)) return
    for (const next of graph.get(path) ?? []) walk(next, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) walk(path, [])
  return found
}

/**
 * Inside a room, folders point one way. Its direct files are one folder more, without `index.ts`, which composes them
 * all.
 */
function folderCycles(files: readonly { path: string; imports: readonly string[] }[]): string[] {
  const byRoom = Map.groupBy(files, ({ path }) => roomOf(path))
  return [...byRoom].flatMap(([room, inRoom]) => {
    const graph = new Map<string, string[]>()
    for (const { path, imports } of inRoom) {
      if (path === `${room}/index.ts`) continue
      const from = folderOf(room, path)
      const others = imports.filter((to) => roomOf(to) === room).map((to) => folderOf(room, to))
      graph.set(
        from,
        [...new Set([...(graph.get(from) ?? []), ...others])].filter((to) => to !== from),
      )
    }
    return cycles(graph)
  })
}

function folderOf(room: string, path: string): string {
  const [first = '', ...rest] = path.slice(room.length + 1).split('/')
  return `${room}/${rest.length > 0 ? first : '*'}`
}

function withoutTypeImports(code: string): string {
  return code.replace(/\bimport type [^;'"]*['"][^'"]*['"]/g, '')
}

export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[\s;])\/\/.*$/gm, '$1')
}
