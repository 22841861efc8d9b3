import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'

/**
 * Measures `svc --help` as it is installed, compared to a bare node that prints a line and a minimal commander program,
 * bundled alike. Rounds alternate; CPU is what the system counted for the whole process, from start to end.
 */
const tenth = process.argv.includes('--tenth')
const ROUNDS = tenth ? 5 : 50
const LIMIT_MS = 60
const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

const COMMANDER = `import { Command } from 'commander'
const program = new Command('minimal').description('a minimal program').version('1.0.0')
for (const name of ['login', 'status', 'context', 'datasource', 'db']) program.command(name).summary('does it')
program.parse()`

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-cli-'))
try {
  const programs = await makePrograms()
  const spent = programs.map(() => [] as number[])
  for (let round = -1; round < ROUNDS; round++) {
    for (const [place, { args }] of programs.entries()) {
      const ms = await cpuOf(args)
      if (round >= 0) spent[place]!.push(ms)
    }
  }
  print(programs, spent.map(median))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function makePrograms(): Promise<{ name: string; args: string[] }[]> {
  execFileSync(process.execPath, [join(root, 'scripts', 'build.ts'), 'cli'], { stdio: 'ignore' })
  execFileSync('tar', ['-xzf', join(root, 'dist', 'client.tgz'), '-C', folder])
  const bare = join(folder, 'bare.mjs')
  writeFileSync(bare, `console.log('help')`)
  const commander = join(folder, 'commander.mjs')
  const stdin = { contents: COMMANDER, resolveDir: root }
  await build({ stdin, bundle: true, minify: true, platform: 'node', format: 'esm', outfile: commander })
  return [
    { name: 'bare node', args: [bare] },
    { name: 'commander', args: [commander, '--help'] },
    { name: 'svc --help', args: [join(folder, 'package', 'bin', 'svc.js'), '--help'] },
  ]
}

/** Measures with the shell's `times`, because Node cannot read the CPU time of a child process. */
async function cpuOf(args: readonly string[]): Promise<number> {
  const script = `TIMEFORMAT='%U %S'; time "$@" >/dev/null`
  const { stderr } = await run('bash', ['-c', script, 'bash', process.execPath, ...args], { env: environment() })
  const [user, system] = stderr.trim().split(' ').map(Number)
  return (user! + system!) * 1000
}

/** Keeps the compile cache between rounds, as for a user, but in a folder of its own. */
function environment() {
  return { PATH: process.env.PATH, HOME: folder, NODE_COMPILE_CACHE: undefined, TMPDIR: folder }
}

function print(programs: readonly { name: string }[], [bare, commander, ours]: readonly number[]): void {
  console.log(`${ROUNDS} rounds, medians of CPU; nothing is random`)
  for (const [place, ms] of [bare!, commander!, ours!].entries()) {
    const ratio = (ms / bare!).toFixed(2)
    const above = place === 0 ? '' : `   ${(ms - bare!).toFixed(1)} ms above bare`
    const limit = place === 2 ? ` (limit ${LIMIT_MS})` : ''
    console.log(`${programs[place]!.name.padEnd(12)} ${ms.toFixed(1).padStart(6)} ms  ${ratio} of bare${above}${limit}`)
  }
  console.log(`svc --help is ${(ours! / commander!).toFixed(2)} of the commander program`)
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!
}
