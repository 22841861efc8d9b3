import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { runSvc } from '#test/programs/cli-run.ts'
import { needsPrograms } from '#test/stores.ts'
import { optionsOf } from '../command/command.ts'
import { TABLE } from '../commands.ts'
import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import { zshScript } from './zsh.ts'

/** Returns the words that bash offers for the last word of `line`. */
function complete(line: string): string[] {
  const words = line.split(' ')
  const script = `${bashScript(TABLE)}
svc() { echo "$1-$2-a" "$1-$2-b"; }
COMP_WORDS=(${words.map((word) => `"${word}"`).join(' ')}) COMP_CWORD=${words.length - 1}
_svc
printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.split('\n').filter((word) => word !== '')
}

const CASES: [line: string, offered: string[]][] = [
  ['svc data', ['datasource']],
  ['svc datasource ', ['list', 'show', 'query', 'test', 'enable', 'suggest', 'disable', 'expose', 'unexpose']],
  ['svc --json datasource q', ['query']],
  ['svc datasource query db_a --t', ['--top-k', '--target', '--timeout']],
  ['svc datasource list -o ', ['table', 'json', 'yaml']],
  ['svc datasource list --output j', ['json']],
  ['svc completion ', ['bash', 'zsh', 'fish']],
  ['svc db create ', []],
  ['svc db drop ', ['complete-databases-a', 'complete-databases-b']],
  ['svc db drop complete-databases-a ', []],
  ['svc datasource query ', ['complete-sources-a', 'complete-sources-b']],
  ['svc context use ', ['complete-contexts-a', 'complete-contexts-b']],
  ['svc status --context ', ['complete-contexts-a', 'complete-contexts-b']],
  ['svc apps show complete-apps-b', ['complete-apps-b']],
  ['svc functions list --app ', ['complete-apps-a', 'complete-apps-b']],
  ['svc db list --limit ', []],
  ['svc --v', ['--version']],
]

/**
 * Returns the words that zsh offers for the last word of `line`. The functions of zsh that would show them print them
 * here, and those with another beginning than the word are left out, as zsh does.
 */
function completeInZsh(line: string): string[] {
  const words = line.split(' ')
  const script = `
compdef() { : }
_files() { : }
compadd() { shift; print -l -- "$@" }
_describe() { local name="\${@[-1]}"; print -l -- \${\${(P)name}%%:*} }
svc() { print -l -- "$1-$2-a" "$1-$2-b" }
eval "$SCRIPT"
words=("$@") CURRENT=$#
_svc`
  const env = { ...process.env, SCRIPT: zshScript(TABLE) }
  const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', script, 'zsh', ...words], { encoding: 'utf8', env })
  expect(stderr).toBe('')
  return stdout.split('\n').filter((word) => word !== '' && word.startsWith(words.at(-1)!))
}

const END_OF_LINE = '--end of what is offered--'

/**
 * Returns the words that fish offers for each line, in its order and without descriptions. One process answers them all,
 * because fish takes a third of a second to read the script. Runs in an empty folder, because fish offers files too.
 */
function completeAllInFish(lines: readonly string[]): string[][] {
  const script = `
source $SCRIPT
function svc
    printf '%s\\n' $argv[1]-$argv[2]-a $argv[1]-$argv[2]-b
end
for line in $argv
    complete -C "$line"
    echo '${END_OF_LINE}'
end`
  const cwd = mkdtempSync(join(tmpdir(), 'svc-fish-'))
  // Not in a variable: it is longer than Linux lets one be.
  const file = `${cwd}.fish`
  writeFileSync(file, fishScript(TABLE))
  const env = { ...process.env, SCRIPT: file }
  const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script, ...lines], { encoding: 'utf8', env, cwd })
  rmSync(cwd, { recursive: true })
  rmSync(file)
  expect(stderr).toBe('')
  const answers = stdout.split(`${END_OF_LINE}\n`).slice(0, -1)
  return answers.map((answer) =>
    answer
      .split('\n')
      .map((shown) => shown.split('\t')[0]!)
      .filter((word) => word !== ''),
  )
}

describe('CL-03 completion in bash', () => {
  test.each(CASES)('%s', (line, offered) => {
    expect(complete(line)).toEqual(offered)
  })
})

needsPrograms('zsh')('CL-03 completion in zsh', () => {
  test.each(CASES)('%s', (line, offered) => {
    expect(completeInZsh(line)).toEqual(offered)
  })
})

needsPrograms('fish')('CL-03 completion in fish', () => {
  let answers: Map<string, string[]>
  beforeAll(() => {
    const lines = CASES.map(([line]) => line)
    const all = completeAllInFish(lines)
    expect(all).toHaveLength(lines.length)
    answers = new Map(lines.map((line, at) => [line, all[at]!]))
  })

  test.each(CASES)('%s', (line, offered) => {
    expect(answers.get(line)).toEqual(offered.toSorted())
  })
})

describe('CL-03 completion scripts', () => {
  test.each(['bash', 'zsh', 'fish'])('%s knows every command and option', async (shell) => {
    const { exit, stdout, stderr } = await runSvc(['completion', shell])
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    for (const command of TABLE.commands) {
      expect(stdout).toContain(command.path)
      for (const { name } of optionsOf(command)) expect(stdout).toContain(shell === 'fish' ? `-l ${name}` : `--${name}`)
    }
  })

  test('another shell is told which there are', async () => {
    const { exit, stderr } = await runSvc(['completion', 'tcsh'])
    expect(exit).toBe(5)
    expect(stderr).toContain('<shell> must be one of bash, zsh, fish, not tcsh.')
  })
})
