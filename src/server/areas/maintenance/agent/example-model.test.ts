import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXAMPLE_MODEL, type ExampleModel, startExampleModel } from '#test/outside/example-model.ts'

const LENGTH = "TypeError: Cannot read properties of undefined (reading 'length')"
const SOURCE = 'function count(cart) {\n  return cart.items.length\n}\n'
const FRAME = { path: '/app/src/cart.js', symbol: 'count' }
const TOOLS = [{ type: 'function', function: { name: 'stage_edit' } }]
const TITLE = `An error in count in src/cart.js was logged 3 times: ${LENGTH}`
const FAULT = { kind: 'error_in_code', path: 'src/cart.js', symbol: 'count' }
const EDIT = {
  path: 'src/cart.js',
  old: '  return cart.items.length',
  new: '  return (cart.items?.length ?? 0)',
}

let example: ExampleModel
let url: string
beforeAll(async () => {
  example = await startExampleModel()
  const [provider] = JSON.parse(example.env.SVC_AI_PROVIDERS) as [{ base_url: string }]
  url = `${provider.base_url}/chat/completions`
})
afterAll(() => example?.[Symbol.asyncDispose]())

type Message = { role: string; content?: string | null; tool_calls?: object[]; tool_call_id?: string }
type Chunk = {
  choices: { delta: { content?: string; tool_calls?: { function: { name: string; arguments: string } }[] } }[]
  usage?: { total_tokens: number }
}

const first = (template: string, frames: object[]): Message => ({
  role: 'user',
  content: [
    'First evidence:',
    `log_templates ${JSON.stringify({ evidence_id: 1, untrusted_data: { clusters: [{ level: 'error', template, frames, count: 3 }] } })}`,
    `list_files ${JSON.stringify({ evidence_id: 2, untrusted_data: { files: [{ path: 'src/cart.js' }] } })}`,
  ].join('\n'),
})
const done = (name: string, input: object, result: object): Message[] => [
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: name, type: 'function', function: { name, arguments: JSON.stringify(input) } }],
  },
  { role: 'tool', tool_call_id: name, content: JSON.stringify(result) },
]
const read = (text: string) => done('read_file', {}, { evidence_id: 4, untrusted_data: { text } })

async function ask(messages: Message[], more: object = { tools: TOOLS }) {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ model: 'fixer', messages, ...more }) })
  const events = (await response.text()).split('\n\n').filter(Boolean)
  expect(events.pop()).toBe('data: [DONE]')
  const chunks = events.map((event) => JSON.parse(event.slice('data: '.length)) as Chunk)
  expect(chunks.at(-1)!.usage!.total_tokens).toBeGreaterThan(0)
  const { content, tool_calls: calls = [] } = chunks[0]!.choices[0]!.delta
  return content ?? calls.map(({ function: { name, arguments: input } }) => [name, JSON.parse(input) as unknown])
}

describe('MA-34 the example model decides by what the tools return', () => {
  it.each<[string, Message[], unknown]>([
    ['it ends where no error leads into the app', [first(LENGTH, [])], [['finish', { verdict: 'nothing' }]]],
    [
      'it reads the file of the trace and earlier findings',
      [first(LENGTH, [FRAME])],
      [
        ['read_file', { path: 'src/cart.js' }],
        ['recent_findings', {}],
      ],
    ],
    ['it stages a correction', [first(LENGTH, [FRAME]), ...read(SOURCE)], [['stage_edit', EDIT]]],
    [
      'it ends with the change once it is staged',
      [first(LENGTH, [FRAME]), ...read(SOURCE), ...done('stage_edit', {}, { staged: 1 })],
      [
        [
          'finish',
          {
            verdict: 'change',
            ...FAULT,
            template: LENGTH,
            summary: `${TITLE}. count in src/cart.js reads the length of cart.items, which can be missing. The proposed change counts it as 0.`,
            evidence: [1, 4],
          },
        ],
      ],
    ],
    [
      'it says nothing more after its end was refused',
      [first(LENGTH, [FRAME]), ...done('finish', {}, { error: 'No.' })],
      [['finish', { verdict: 'nothing' }]],
    ],
  ])('%s', async (_, messages, expected) => {
    expect(await ask(messages)).toEqual(expected)
  })

  it.each<[string, string, Message[], string]>([
    ['another error', 'Error: no', read(SOURCE), 'This example cannot correct such an error.'],
    [
      'two places',
      LENGTH,
      read(`function count(cart) {\n  a.length\n  b.length\n}\n`),
      'Where it happens in src/cart.js is not certain.',
    ],
    [
      'a file that is not shown',
      LENGTH,
      done('read_file', {}, { error: 'Binary.' }),
      'src/cart.js could not be read: Binary.',
    ],
    [
      'a refused edit',
      LENGTH,
      [...read(SOURCE), ...done('stage_edit', {}, { error: 'The file is protected.' })],
      'Its correction was refused: The file is protected.',
    ],
    [
      'a change that was denied',
      LENGTH,
      [
        ...read(SOURCE),
        ...done('recent_findings', {}, { untrusted_data: { findings: [{ template: LENGTH, was_denied: true }] } }),
      ],
      'A change for this fault was denied before.',
    ],
  ])('%s is a finding without a change, with the title that the detectors give it', async (_, template, seen, why) => {
    const [call] = await ask([first(template, [FRAME]), ...seen])
    const summary = `An error in count in src/cart.js was logged 3 times: ${template}. ${why}`
    expect(call).toEqual(['finish', expect.objectContaining({ verdict: 'finding', template, summary })])
  })

  it('it ends with a finding where it must end', async () => {
    const tool_choice = { type: 'function', function: { name: 'finish' } }
    expect(await ask([first(LENGTH, [FRAME])], { tools: TOOLS, tool_choice })).toEqual([
      ['finish', { verdict: 'finding', ...FAULT, template: LENGTH, summary: TITLE, evidence: [1] }],
    ])
  })

  it('it says that it is an example to everybody but the maintenance agent, and refuses what it does not have', async () => {
    expect(await ask([{ role: 'user', content: 'Hello' }], {})).toBe(
      'This is the example model of svc. It answers the maintenance agent only.',
    )
    expect((await fetch(url)).status).toBe(404)
    expect((await fetch(url, { method: 'POST', body: '{' })).status).toBe(400)
  })

  it.each([
    ['--help', 0],
    ['nine', 2],
  ])('it explains itself with %s', (argument, status) => {
    const run = spawnSync(process.execPath, [EXAMPLE_MODEL, argument], { encoding: 'utf8' })
    expect(run.status).toBe(status)
    expect(status === 0 ? run.stdout : run.stderr).toContain('Usage: node examples/chat-model/start.js [port]')
  })
})
