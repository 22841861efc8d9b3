import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { runSvc } from '#test/cli-run.ts'
import { optionsOf } from '../command.ts'
import { TABLE } from '../commands.ts'
import { bashScript } from './bash.ts'

/** What bash offers for the last word of `line`. */
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

describe('CL-03 completion in bash', () => {
  test.each([
    ['svc data', ['datasource']],
    ['svc datasource ', ['list', 'query', 'test', 'enable', 'disable', 'expose', 'unexpose']],
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
  ])('%s', (line, offered) => {
    expect(complete(line)).toEqual(offered)
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
