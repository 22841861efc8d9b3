import { runToEnd } from '#lib/processes/start-process.ts'

export type EnginePlaces = {
  node: string
  script: string
  /** Folders of the two packages and, inside them, the modules to import. */
  pglite: Package
  pgvector: Package
  /** Has `pg_dump`. Only for the process that dumps. */
  tools?: Package
  /** The database's own folder: the only place the process may write to. */
  folder: string
}
export type Package = { folder: string; entry: string }
export type Command = { file: string; args: string[] }

/**
 * Node's own restrictions for an engine process: no files but its own, no child processes, workers or native code, and
 * no JavaScript made from text, which is how a side module loaded by a superuser would run. `--liftoff-only` keeps the
 * optimising WASM compiler, which takes a gigabyte for a moment, out of every engine.
 */
function nodeCommand({ node, script, pglite, pgvector, tools, folder }: EnginePlaces): Command {
  const readable = [script, pglite.folder, pgvector.folder, ...(tools ? [tools.folder] : []), folder]
  return {
    file: node,
    args: [
      '--permission',
      ...readable.map((path) => `--allow-fs-read=${path}`),
      `--allow-fs-write=${folder}`,
      '--disallow-code-generation-from-strings',
      '--liftoff-only',
      '--max-old-space-size=256',
      '--no-warnings',
      script,
      folder,
      pglite.entry,
      pgvector.entry,
      ...(tools ? [tools.entry] : []),
    ],
  }
}

/** Where distributions keep the libraries of a dynamically linked Node. */
const LIBRARIES = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/etc/ld.so.cache', '/nix/store']

/** Options for namespaces of its own (mounts, processes, network, users), no capabilities and an empty environment. */
const WALLS = [
  '--unshare-all',
  '--die-with-parent',
  '--clearenv',
  '--hostname',
  'engine',
  '--cap-drop',
  'ALL',
  '--dev',
  '/dev',
  ...LIBRARIES.flatMap((path) => ['--ro-bind-try', path, path]),
]

/**
 * Returns the command of an engine process. With bubblewrap it sees only its own files, no network and no processes.
 */
export function engineCommand(places: EnginePlaces, bubblewrap: string | undefined): Command {
  if (bubblewrap === undefined) return nodeCommand(places)
  const { node, script, pglite, pgvector, tools, folder } = places
  const inside: EnginePlaces = {
    node: '/svc/node',
    script: `/svc/engine${script.slice(script.lastIndexOf('.'))}`,
    pglite: moved(pglite, '/svc/pglite'),
    pgvector: moved(pgvector, '/svc/pgvector'),
    ...(tools && { tools: moved(tools, '/svc/tools') }),
    folder: '/svc/database',
  }
  const command = nodeCommand(inside)
  return {
    file: bubblewrap,
    args: [
      ...WALLS,
      '--new-session',
      '--as-pid-1',
      ...readOnly(node, inside.node),
      ...readOnly(script, inside.script),
      ...readOnly(pglite.folder, inside.pglite.folder),
      ...readOnly(pgvector.folder, inside.pgvector.folder),
      ...(tools && inside.tools ? readOnly(tools.folder, inside.tools.folder) : []),
      '--bind',
      folder,
      inside.folder,
      // Their tmpfs would be memory that nobody counts.
      '--remount-ro',
      '/dev',
      '--remount-ro',
      '/',
      '--chdir',
      '/svc',
      command.file,
      ...command.args,
    ],
  }
}

function readOnly(from: string, to: string): string[] {
  return ['--ro-bind', from, to]
}

function moved({ folder, entry }: Package, to: string): Package {
  return { folder: to, entry: `${to}${entry.slice(folder.length)}` }
}

/** Runs Node inside the walls of an engine process, to find out whether this bubblewrap can make them. */
export async function tryWalls(bubblewrap: string, node: string): Promise<void> {
  await runToEnd(bubblewrap, [...WALLS, ...readOnly(node, '/svc/node'), '/svc/node', '--version'], {})
}
