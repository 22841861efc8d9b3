import { request as send } from 'node:http'

/** Asks svc at its own port where apps answer, as a client that knows only the former address would. */
export function appPortOf(apiUrl: string, host: string): Promise<number> {
  const { port, hostname } = new URL(apiUrl)
  return new Promise((resolve, reject) => {
    const asked = send({ host: hostname, port, path: '/', headers: { host } }, (response) => {
      response.resume()
      const { location } = response.headers
      if (response.statusCode !== 307 || location === undefined) reject(new Error(`answered ${response.statusCode}`))
      else resolve(Number(new URL(location, 'http://svc').port))
    })
    asked.on('error', reject).end()
  })
}
