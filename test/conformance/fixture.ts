import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type Tool,
} from '@modelcontextprotocol/server'
import { PNG } from './fixture-content.ts'
import { stateCodec } from './fixture-input.ts'
import { PROMPTS } from './fixture-prompts.ts'
import { TOOLS } from './fixture-tools.ts'

/** Has keywords of JSON Schema 2020-12 that must come through as they are. */
const SCHEMA_TOOL = JSON.parse(readFileSync(join(import.meta.dirname, 'schema-tool.json'), 'utf8')) as Tool

const capabilities = { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {}, logging: {} }

/** Creates the server that the suite's scenarios expect, on the product's own transport. */
export function fixtureServer(): Server {
  const server = new Server(
    { name: 'fixture', version: '1' },
    { capabilities, requestState: { verify: (state, ctx) => stateCodec.verify(state, ctx) } },
  )
  addTools(server)
  addPrompts(server)
  addResources(server)
  server.setRequestHandler('completion/complete', () => ({ completion: { values: ['paris', 'park'] } }))
  server.setRequestHandler('logging/setLevel', () => ({}))
  return server
}

function addTools(server: Server): void {
  const tools = Object.keys(TOOLS).map((name): Tool => ({ name, description: name, inputSchema: { type: 'object' } }))
  server.setRequestHandler('tools/list', () => ({ tools: [...tools, SCHEMA_TOOL] }))
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const tool = TOOLS[params.name]
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}.`)
    return tool(ctx, params.arguments ?? {})
  })
}

function addPrompts(server: Server): void {
  const prompts = Object.entries(PROMPTS).map(([name, prompt]) => ({
    name,
    description: name,
    arguments: (prompt.arguments ?? []).map((argument) => ({ name: argument, required: true })),
  }))
  server.setRequestHandler('prompts/list', () => ({ prompts }))
  server.setRequestHandler('prompts/get', ({ params }, ctx) => {
    const prompt = PROMPTS[params.name]
    if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no prompt ${params.name}`)
    return prompt.get(params.arguments ?? {}, ctx)
  })
}

const [STATIC_TEXT, STATIC_BINARY] = ['test://static-text', 'test://static-binary']

function addResources(server: Server): void {
  const resources = [STATIC_TEXT, STATIC_BINARY].map((uri) => ({ uri, name: uri, description: uri }))
  const template = { uriTemplate: 'test://template/{id}/data', name: 'template', description: 'By id' }
  server.setRequestHandler('resources/list', () => ({ resources }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [template] }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) => ({ contents: [read(uri)] }))
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))
}

function read(uri: string) {
  if (uri === STATIC_TEXT) {
    return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }
  }
  if (uri === STATIC_BINARY) return { uri, mimeType: 'image/png', blob: PNG }
  const id = /^test:\/\/template\/(\w+)\/data$/.exec(uri)?.[1]
  if (id === undefined) throw new ResourceNotFoundError(uri)
  const data = { id, templateTest: true, data: `Data for ID: ${id}` }
  return { uri, mimeType: 'application/json', text: JSON.stringify(data) }
}
