import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { readConfig } from '../command/config.ts'
import { TABLE } from '../commands.ts'
import { createCli } from './cli.ts'
import { confirm } from './prompt.ts'

function terminal(isTTY: boolean) {
  const stdin = Object.assign(new PassThrough(), { isTTY })
  const stdout = Object.assign(new PassThrough(), { isTTY })
  const stderr = Object.assign(new PassThrough(), { isTTY })
  const config = readConfig({}, { home: '/', platform: 'linux', folder: '/' })
  const cli = createCli(config, TABLE, { stdin, stdout, stderr })
  return {
    cli,
    type: (text: string) => stdin.write(text),
    end: () => stdin.end(),
    readOutput: () => String(stderr.read()),
  }
}

test('CL-03 the confirmed word continues, and any other changes nothing and exits with 130', async () => {
  const right = terminal(true)
  right.type('docs\r')
  await confirm(right.cli, undefined, 'This drops docs', 'docs')
  expect(right.readOutput()).toContain('This drops docs. Type docs to continue: ')
  const wrong = terminal(true)
  wrong.type('y\r')
  await expect(confirm(wrong.cli, undefined, 'This drops docs', 'docs')).rejects.toThrow(
    expect.objectContaining({ name: 'Interrupted' }),
  )
  expect(wrong.readOutput()).toContain('Nothing was changed.')
})

test('CL-03 Ctrl-C and the end of the input are no answer', async () => {
  for (const leave of [
    (t: ReturnType<typeof terminal>) => t.type('\u0003'),
    (t: ReturnType<typeof terminal>) => t.end(),
  ]) {
    const asked = terminal(true)
    leave(asked)
    await expect(confirm(asked.cli, undefined, 'This drops docs')).rejects.toMatchObject({ name: 'Interrupted' })
  }
})

test('CL-03 without a terminal only --yes continues, and the error says so', async () => {
  const { cli } = terminal(false)
  await confirm(cli, true, 'This drops docs')
  await expect(confirm(cli, undefined, 'This drops docs')).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    message: 'This drops docs. There is no terminal to confirm it on. Add --yes to confirm.',
  })
})
