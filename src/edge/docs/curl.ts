import type { ExampleRequest } from './example.ts'

export function curlExample({ method, server, path, query, token, body, answer }: ExampleRequest): string {
  const base = server === '' || server.startsWith('/') ? `$SVC_URL${server}` : server
  const url = base + path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)
  const verb = method === (body ? 'POST' : 'GET') ? '' : `-X ${method} `
  const lines = [
    `curl ${verb}"${url}"`,
    ...(token ? [`-H "Authorization: Bearer $${token}"`] : []),
    // Without it curl buffers the events.
    ...(answer === 'stream' ? ['-N'] : []),
    // Encodes the value and, unlike `-G`, keeps the body.
    ...query.map(([name, text]) => `--url-query ${quoted(`${name}=${text}`)}`),
    ...(body ? bodyOptions(body) : []),
  ]
  return lines.join(' \\\n  ')
}

function bodyOptions({ type, value }: NonNullable<ExampleRequest['body']>): string[] {
  const header = `-H ${quoted(`Content-Type: ${type}`)}`
  return [header, value === undefined ? '--data-binary @FILE' : `-d ${quoted(JSON.stringify(value))}`]
}

/** Quotes for the shell with single quotes, in which nothing is expanded. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
