// A chat model for trying out the maintenance agent on one machine. It is plain code and no language model: `decide.js`
// chooses each answer by the results of the tools. It checks no key, so it listens on loopback only.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { decide } from './decide.js'
import { toEvents } from './events.js'

const HELP = `Usage: node examples/chat-model/start.js [port]

An example of a chat model for trying out proposals of the maintenance agent on one machine. It is a short program and no
language model: it corrects one kind of fault, the length of something that is missing. It checks no key, so it
listens on 127.0.0.1 only.

  port  where it listens (default: 9100)

It prints the variable with which svc uses it, and runs until you press Ctrl-C.

  node examples/chat-model/start.js 9101
`

const { values, positionals } = readArguments()
if (values.help) {
  process.stdout.write(HELP)
  process.exit()
}
const server = createServer((request, response) => {
  answer(request, response).catch((error) => refuse(response, 400, error.message))
})
server.listen(Number(positionals[0] ?? 9100), '127.0.0.1')
await once(server, 'listening')

const base_url = `http://127.0.0.1:${server.address().port}/v1`
const provider = { name: 'example', base_url, kind: 'openai', models: [{ name: 'fixer' }] }
console.log(`Start svc with:

SVC_AI_PROVIDERS='${JSON.stringify([provider])}'

Its model is example/fixer.
`)

async function answer(request, response) {
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions')
    return refuse(response, 404, 'This example has chat completions only.')
  const body = await json(request)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of toEvents(body, decide(body))) response.write(`data: ${event}\n\n`)
  response.end()
}

function refuse(response, status, message) {
  if (!response.headersSent) response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: { message } }))
}

function readArguments() {
  try {
    const options = { help: { type: 'boolean', short: 'h' } }
    const read = parseArgs({ options, allowPositionals: true })
    const [port = '0'] = read.positionals
    if (!/^\d{1,5}$/.test(port)) throw new Error(`The port must be a number, not ${port}.`)
    return read
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${HELP}`)
    process.exit(2)
  }
}
