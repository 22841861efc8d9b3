import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { exampleOf, freshCopy, type Source, start, untilAnswered } from '../start/installation.ts'

/**
 * Measures the client as it is installed: `svc --help`, and commands that make one request to a server with the example.
 * Beside them a bare node that prints a line, one that makes one request, and a minimal commander program, bundled alike.
 * Rounds alternate; CPU is what the system counted for the whole process, from start to end.
 */
const tenth = process.argv.includes('--tenth')
const ROUNDS = tenth ? 5 : 50
const HELP_LIMIT_MS = 60
const REQUEST_LIMIT_MS = 120
const COMMANDS = [
  ['datasource', 'list'],
  ['datasource', 'query', 'db_handbook', 'How long is parental leave?'],
  ['db', 'list'],
  ['apps', 'list'],
  ['activity'],
  ['members', 'list'],
]
const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

const COMMANDER = `import { Command } from 'commander'
const program = new Command('minimal').description('a minimal program').version('1.0.0')
for (const name of ['login', 'status', 'context', 'datasource', 'db']) program.command(name).summary('does it')
program.parse()`
const REQUEST = `const headers = { authorization: 'Bearer ' + process.env.SVC_API_KEY }
const response = await fetch(process.env.SVC_API_URL + '/api/wf/slim/data-sources', { headers })
console.log(await response.text())
if (!response.ok) process.exitCode = 1`

type Program = { readonly name: string; readonly args: readonly string[]; readonly limitMs?: number }

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-cli-'))
try {
  using copy = freshCopy(root)
  await using server = await start(copy)
  const source = exampleOf(server, copy)
  await untilAnswered(source)
  const env = environment(source)
  const programs = await makePrograms()
  const spent = programs.map(() => [] as number[])
  for (let round = -1; round < ROUNDS; round++) {
    for (const [place, { args }] of programs.entries()) {
      const ms = await cpuOf(args, env)
      if (round >= 0) spent[place]!.push(ms)
    }
  }
  print(programs, spent.map(median))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function makePrograms(): Promise<Program[]> {
  execFileSync(process.execPath, [join(root, 'scripts', 'build.ts'), 'cli'], { stdio: 'ignore' })
  execFileSync('tar', ['-xzf', join(root, 'dist', 'client.tgz'), '-C', folder])
  const svc = join(folder, 'package', 'bin', 'svc.js')
  const bare = join(folder, 'bare.mjs')
  writeFileSync(bare, `console.log('help')`)
  const request = join(folder, 'request.mjs')
  writeFileSync(request, REQUEST)
  const commander = join(folder, 'commander.mjs')
  const stdin = { contents: COMMANDER, resolveDir: root }
  await build({ stdin, bundle: true, minify: true, platform: 'node', format: 'esm', outfile: commander })
  return [
    { name: 'bare node', args: [bare] },
    { name: 'bare node, one request', args: [request] },
    { name: 'commander --help', args: [commander, '--help'] },
    { name: 'svc --help', args: [svc, '--help'], limitMs: HELP_LIMIT_MS },
    ...COMMANDS.map((words) => ({
      name: `svc ${words.slice(0, 2).join(' ')}`,
      args: [svc, ...words],
      limitMs: REQUEST_LIMIT_MS,
    })),
  ]
}

/** Measures with the shell's `times`, because Node cannot read the CPU time of a child process. */
async function cpuOf(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const script = `TIMEFORMAT='%U %S'; time "$@" >/dev/null`
  const { stderr } = await run('bash', ['-c', script, 'bash', process.execPath, ...args], { env })
  const [user, system] = stderr.trim().split('\n').at(-1)!.split(' ').map(Number)
  return (user! + system!) * 1000
}

/** Keeps the compile cache between rounds, as for a user, but in a folder of its own. */
function environment({ url, key }: Source): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, SVC_API_URL: url, SVC_API_KEY: key }
}

function print(programs: readonly Program[], medians: readonly number[]): void {
  const bare = medians[0]!
  console.log(`${ROUNDS} rounds, medians of CPU; nothing is random`)
  for (const [place, { name, limitMs }] of programs.entries()) {
    const ms = medians[place]!
    const above = place === 0 ? '' : `   ${(ms - bare).toFixed(1)} ms above bare`
    const limit = limitMs === undefined ? '' : ` (limit ${limitMs}: ${ms - bare <= limitMs ? 'kept' : 'MISSED'})`
    console.log(`${name.padEnd(24)} ${ms.toFixed(1).padStart(6)} ms  ${(ms / bare).toFixed(2)} of bare${above}${limit}`)
  }
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!
}
