import { notificationsMcp, platformMcp } from '#contract/mcp.ts'

/** The endpoints `{mcp_url}/platform` and `{mcp_url}/notifications`. */
export const ENDPOINTS = {
  platform: { op: platformMcp, title: 'svc data sources and functions' },
  notifications: { op: notificationsMcp, title: 'svc notifications' },
} as const

export type EndpointName = keyof typeof ENDPOINTS
export const ENDPOINT_NAMES = Object.keys(ENDPOINTS) as EndpointName[]

export function endpointAt(url: string): EndpointName {
  const path = new URL(url).pathname
  const found = ENDPOINT_NAMES.find((name) => ENDPOINTS[name].op.path === path)
  if (!found) throw new Error(`${path} is not an MCP endpoint`)
  return found
}
