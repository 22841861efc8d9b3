import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newApp, type TestApp } from '#test/apps/apps.ts'
import { runSvc } from '#test/programs/cli-run.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { connectRawWorker } from '#test/work/raw-worker.ts'

describe('DS-20 svc functions', () => {
  let system: System
  let app: TestApp
  let worker: Awaited<ReturnType<typeof connectRawWorker>>
  beforeAll(async () => {
    system = await startSystem()
    app = await newApp(system)
    const functions = [{ name: 'greet', description: 'Greets', input_schema: { type: 'object' } }]
    worker = await connectRawWorker(app.client, app.alias, { functions })
  })
  afterAll(async () => {
    await worker?.close()
    await system?.[Symbol.asyncDispose]()
  })

  const svc = (args: string[], options: { stdin?: string } = {}) =>
    runSvc(['functions', ...args], { env: { SVC_API_URL: system.url, SVC_API_KEY: app.token }, ...options })
  const answer = async (output: unknown) => {
    const { call_id, fence, input } = await worker.nextCall()
    await worker.report({ call_id, fence, output })
    return input
  }

  it('lists what can be called', async () => {
    const { exit, stdout } = await svc(['list'])
    expect([exit, stdout.split('\n').map((line) => line.trimEnd().split(/\s{2,}/))]).toEqual([
      0,
      [['APP', 'NAME', 'CONNECTED', 'DESCRIPTION'], [app.alias, 'greet', 'yes', 'Greets'], ['']],
    ])
    expect(await svc(['list', '--app', 'none'])).toMatchObject({ exit: 4 })
  })

  it('calls with arguments from the line and from standard input, and prints the result', async () => {
    const [shown, input] = await Promise.all([
      svc(['call', app.alias, 'greet', '--data', '{"name": "Ada"}']),
      answer({ text: 'Hello' }),
    ])
    expect(input).toEqual({ name: 'Ada' })
    expect(shown).toMatchObject({ exit: 0, stdout: '{\n  "text": "Hello"\n}\n' })
    const [piped, sent] = await Promise.all([
      svc(['call', app.alias, 'greet', '-d', '-', '--json'], { stdin: '{"name": "Bob"}' }),
      answer('Hi'),
    ])
    expect(sent).toEqual({ name: 'Bob' })
    expect(JSON.parse(piped.stdout)).toMatchObject({ result: 'Hi' })
  })

  it('refuses arguments that are no JSON object without calling', async () => {
    expect(await svc(['call', app.alias, 'greet', '--data', '[1]'])).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('The arguments are not a JSON object.') as unknown,
    })
  })

  it('lists calls, with their way, status and size', async () => {
    const rows = await until(async () => {
      const { stdout } = await svc(['invocations'])
      const found = stdout.trim().split('\n').slice(1)
      return found.length === 2 && !stdout.includes(' - ') && found
    })
    const columns = rows.map((row) => row.trim().split(/\s{2,}/))
    expect(columns.map(([, target, , from, status, , bytes]) => [target, from, status, bytes])).toEqual([
      [`${app.alias}/greet`, 'cli', '200', '4'],
      [`${app.alias}/greet`, 'cli', '200', '16'],
    ])
  })
})
