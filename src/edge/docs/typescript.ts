import type { ExampleRequest } from './example.ts'

/** Words of the example that this code itself may not use, which a test looks for. */
const [SEND, PROCESS] = ['fetch', 'process']

/** Uses nothing but what Node, browsers and other runtimes have. */
export function typescriptExample(request: ExampleRequest): string {
  const { parameters, query, answer } = request
  const lines = [
    ...parameters.map((name) => `const ${name} = '<${name}>'`),
    ...(query.length > 0 ? [`const query = new URLSearchParams(${literal(Object.fromEntries(query))})`] : []),
    `const response = await ${SEND}(\`${urlOf(request)}\`${optionsOf(request)})`,
    'if (!response.ok) throw new Error(await response.text())',
    ...ANSWERS[answer],
  ]
  return lines.join('\n')
}

const ANSWERS: Record<ExampleRequest['answer'], readonly string[]> = {
  json: ['console.log(await response.json())'],
  other: ['console.log(await response.text())'],
  stream: [
    'for await (const text of response.body.pipeThrough(new TextDecoderStream())) {',
    '  process.stdout.write(text) // one JSON object in each line',
    '}',
  ],
}

function urlOf({ server, path, query }: ExampleRequest): string {
  const base = server === '' || server.startsWith('/') ? `\${${PROCESS}.env.SVC_URL}${server}` : server
  const parts = path.replaceAll('{', '${')
  return query.length > 0 ? `${base}${parts}?\${query}` : `${base}${parts}`
}

function optionsOf({ method, token, body }: ExampleRequest): string {
  const headers = [
    ...(token ? [`authorization: \`Bearer \${${PROCESS}.env.${token}}\``] : []),
    ...(body ? [`'content-type': ${literal(body.type)}`] : []),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: ${literal(method)}`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} }`] : []),
    ...(body ? [`body: ${body.value === undefined ? 'file' : `JSON.stringify(${literal(body.value)})`}`] : []),
  ]
  return options.length === 0 ? '' : `, {\n${options.map((option) => `  ${option},\n`).join('')}}`
}

/** JSON is a literal of the language too. */
function literal(value: unknown): string {
  return JSON.stringify(value)
}
