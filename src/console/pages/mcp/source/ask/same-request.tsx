import { Link } from '@tanstack/react-router'
import { Copy } from '#console/parts/text/copy.tsx'
import { asCurl, asMcp, asSvc, type Question } from './same-request.ts'
import '#console/styles/ask.css'

/** The question that was just asked, for the command line, scripts and agents. */
export function SameRequest({ question }: { question: Question }) {
  return (
    <details className="card same-request">
      <summary>The same request as svc, curl and MCP</summary>
      <h3>svc</h3>
      <Copy isBlock text={asSvc(question)} />
      <h3>curl</h3>
      <Copy isBlock text={asCurl(location.origin, question)} />
      <p className="soft">
        <code>$KEY</code> is an API token. <Link to="/settings/tokens">Create one</Link>
      </p>
      <h3>MCP</h3>
      <Copy isBlock text={asMcp(question)} />
      <p className="soft">
        Parameters of <code>tools/call</code>. <Link to="/mcp/agents">Connect an agent</Link>
      </p>
    </details>
  )
}
