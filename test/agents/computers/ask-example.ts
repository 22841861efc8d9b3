import type { Client } from '@modelcontextprotocol/client'
import { QUESTION } from '../model/reply.ts'

/** Asks the example, and returns the answer or the error as text. */
export async function askExample(client: Client): Promise<string> {
  try {
    return JSON.stringify(await client.callTool({ name: 'data_source_query', arguments: QUESTION }))
  } catch (error) {
    return String(error)
  }
}
