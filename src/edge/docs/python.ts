import type { ExampleRequest } from './example.ts'

/** Uses the package `requests`, which most people have. */
export function pythonExample(request: ExampleRequest): string {
  const { parameters, answer } = request
  const lines = [
    'import os',
    'import requests',
    '',
    ...parameters.map((name) => `${name} = "<${name}>"`),
    `response = requests.request(${argumentsOf(request)})`,
    'response.raise_for_status()',
    ...ANSWERS[answer],
  ]
  return lines.join('\n')
}

const ANSWERS: Record<ExampleRequest['answer'], readonly string[]> = {
  json: ['print(response.json())'],
  other: ['print(response.text)'],
  stream: ['for line in response.iter_lines():', '    print(line.decode())'],
}

function argumentsOf({ method, server, path, query, token, body, answer }: ExampleRequest): string {
  const base = server === '' || server.startsWith('/') ? `{os.environ['SVC_URL']}${server}` : server
  const headers = [
    ...(token ? [`"Authorization": f"Bearer {os.environ['${token}']}"`] : []),
    ...(body ? [`"Content-Type": ${literal(body.type)}`] : []),
  ]
  const all = [
    literal(method),
    `f"${base}${path}"`,
    ...(headers.length > 0 ? [`headers={${headers.join(', ')}}`] : []),
    ...(query.length > 0 ? [`params=${literal(Object.fromEntries(query))}`] : []),
    ...(body ? [body.value === undefined ? 'data=file' : bodyArgument(body.value)] : []),
    ...(answer === 'stream' ? ['stream=True'] : []),
  ]
  return `\n${all.map((argument) => `    ${argument},\n`).join('')}`
}

function bodyArgument(value: unknown): string {
  return `json=${literal(value)}`
}

/** Writes a value of JSON as Python does. */
function literal(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, part]) => `${JSON.stringify(key)}: ${literal(part)}`)
    .join(', ')}}`
}
