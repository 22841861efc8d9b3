import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { OPERATIONS } from '#contract/operations.ts'
import { knownAgents } from '../src/console/pages/mcp/agents/known-agents.ts'
import { AGENTS } from './agents/agents.ts'
import { VERSIONS } from './agents/versions.ts'

const GUIDE = readFileSync(new URL('../docs/connect-an-agent.md', import.meta.url), 'utf8')
const URL_OF_GUIDE = 'https://svc.example.com/mcp/platform'

/** The JSON example that follows an agent's name in the guide. */
function exampleOf(agent: string): unknown {
  const after = GUIDE.slice(GUIDE.indexOf(`**${agent}**`))
  return JSON.parse(/```json\n([\s\S]*?)```/.exec(after)![1]!)
}

it('AU-10 the guide configures OpenCode 1 and VS Code as they read their files', () => {
  expect(exampleOf('OpenCode')).toEqual({ mcp: { svc: { type: 'remote', url: URL_OF_GUIDE } } })
  expect(exampleOf('VS Code')).toEqual({ servers: { svc: { type: 'http', url: URL_OF_GUIDE } } })
})

it('AU-12 the guide asks for no fixed port, and names both settings for redirects and documents', () => {
  expect(GUIDE).not.toMatch(/fixed\s+port/)
  expect(GUIDE).toContain('`SVC_LOOPBACK_ANY_PORT`')
  expect(GUIDE).toContain('`SVC_CLIENT_DOCUMENTS`')
})

it('CO-02 the console and the guide connect each known agent with the same commands and files', () => {
  const agents = knownAgents(URL_OF_GUIDE)
  const named = [...GUIDE.matchAll(/^\*\*([\w ]{1,30})\*\*/gm)].map(([, name]) => name)
  expect(agents.map(({ name }) => name.replace(' (web and desktop)', ''))).toEqual(named)
  for (const { steps } of agents) {
    const code = steps.flatMap((step) => ('code' in step ? step.code.split('\n') : []))
    for (const line of code)
      expect(GUIDE.replaceAll(/\s+/g, ' ')).toContain(line === URL_OF_GUIDE ? 'the address' : line)
  }
})

it('AU-10 the guide has the commands with a token and the versions that npm run test:agents runs', () => {
  const text = GUIDE.replaceAll(/\s+/g, ' ')
  for (const { bearer } of Object.values(AGENTS)) {
    for (const step of bearer(URL_OF_GUIDE)) expect(text).toContain('run' in step ? step.run : step.content)
  }
  for (const [name, { version }] of Object.entries(VERSIONS))
    expect(text.slice(text.indexOf('Versions that were tried'))).toMatch(
      new RegExp(`${name} [^A-Z]*${RegExp.escape(version)}`),
    )
})

it('AU-10 the guide names each tool of the endpoints with its arguments, and says which can be left out', () => {
  const tools = Object.values(OPERATIONS).filter((op) => 'tool' in op && op.tool !== undefined)
  const rows = [...GUIDE.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, name, cell]) => [name, codesOf(cell!)] as const)
  const documented = rows.filter(([name]) => tools.some((op) => 'tool' in op && op.tool?.name === name))
  const expected = tools.map((op) => [
    'tool' in op && op.tool?.name,
    Object.entries(op.input.shape).map(([key, schema]) => (schema.safeParse(undefined).success ? `${key}?` : key)),
  ])
  expect(documented).toEqual(expect.arrayContaining(expected))
  expect(documented.length).toBe(expected.length)
})

/** The names of arguments in a cell of the table: code in small letters, without examples of values. */
function codesOf(cell: string): string[] {
  return [...cell.matchAll(/`([a-z_]+\??)`/g)].map(([, code]) => code!).filter((code) => !code.startsWith('db_'))
}
