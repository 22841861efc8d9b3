import { Link } from '@tanstack/react-router'
import { asConfigureCommand } from '#console/pages/mcp/source/configure-command.ts'
import { Chip } from '#console/parts/list/chip.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { installCommand } from '#contract/client-package.ts'
import type { DataSource } from '#contract/data-sources/sources.ts'
import { asSvcCommand } from './commands.ts'
import { isSameDocument, type SearchDocument } from './draft.ts'
import { savedSearch } from './saved-search.ts'

type Props = { id: string; document: SearchDocument; isReady: boolean; source: DataSource }

/** The command that saves the document. The page itself never does. */
export function SavePanel({ id, document, isReady, source }: Props) {
  if (isSameDocument(savedSearch(source), document)) return <Saved id={id} />
  if (!isReady)
    return (
      <section className="card">
        <h2>Save</h2>
        <p className="soft">The command appears here once the check finds no fault.</p>
      </section>
    )
  return (
    <section className="card" aria-label="Save">
      <header className="row spread">
        <h2>Save</h2>
        <div role="status">
          <Chip tone="running">Waiting for the save</Chip>
        </div>
      </header>
      <p>Run this command. The page notices the save and goes on to Exposure.</p>
      <Copy isBlock text={asSvcCommand(id, document)} />
      <details>
        <summary>With curl</summary>
        <p className="soft">
          <code>$KEY</code> is an API token of yours: <Link to="/settings/tokens">create one</Link>.
        </p>
        <Copy isBlock text={asConfigureCommand(location.origin, id, document)} />
      </details>
      <details>
        <summary>The document alone</summary>
        <Copy isBlock text={JSON.stringify(document, null, 2)} />
      </details>
      <details>
        <summary>Install and sign in svc</summary>
        <Copy isBlock text={`${installCommand(location.origin)}\nsvc login --api-url ${location.origin}`} />
      </details>
    </section>
  )
}

function Saved({ id }: { id: string }) {
  return (
    <section className="card">
      <header className="row spread">
        <h2>Save</h2>
        <Chip tone="success">Saved</Chip>
      </header>
      <p>
        This is the saved configuration. Choose who may ask it under{' '}
        <Link to="/mcp/sources/$id/exposure" params={{ id }}>
          Exposure
        </Link>
        , or{' '}
        <Link to="/mcp/sources/$id" params={{ id }}>
          ask it
        </Link>
        .
      </p>
    </section>
  )
}
