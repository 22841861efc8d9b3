import { Link } from '@tanstack/react-router'
import { Dialog } from '#console/parts/form/dialog.tsx'
import { Facts } from '#console/parts/list/facts.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { VisibleText } from '#console/parts/text/visible-text.tsx'
import type { LogRecord } from '#contract/apps/logs.ts'
import { showInvisible } from '#contract/core/show-invisible.ts'
import { lineSearch } from './line-search.ts'
import { parseLine } from './parse-line.ts'

type Props = { alias: string; line: LogRecord; onFilter: (words: string) => void; onClose: () => void }

/** One line with its fields. A field is searched for with a click. JSON writes any character as an escape, so it is shown as a code. */
export function WholeLine({ alias, line, onFilter, onClose }: Props) {
  const parsed = parseLine(line.text)
  return (
    <Dialog title="Log line" onClose={onClose}>
      <Facts
        of={{
          Time: `${new Date(line.at).toLocaleString()} · ${line.at.replace('T', ' ').slice(0, 23)} UTC`,
          Level: line.level,
          Source: line.source,
          Deploy: line.deploy_id !== null && (
            <Link to="/apps/$alias/deploys/$deployId" params={{ alias, deployId: line.deploy_id }}>
              <code>{line.deploy_id}</code>
            </Link>
          ),
        }}
      />
      {parsed && parsed.fields.length > 0 && (
        <dl className="log-fields">
          {parsed.fields.map(({ name, value, search }) => (
            <div key={name}>
              <dt>
                <VisibleText line={name} />
              </dt>
              <dd>
                <button
                  type="button"
                  className="link"
                  title={showInvisible(`Only lines with ${name} ${value}`)}
                  onClick={() => onFilter(search)}
                >
                  {value === '' ? '(empty)' : <VisibleText line={value} />}
                </button>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <Copy text={line.text} isBlock />
      <p>
        <Link to="/apps/$alias/logs" params={{ alias }} search={lineSearch(line)} onClick={onClose}>
          Lines around this one
        </Link>{' '}
        <span className="soft">Its address leads here again.</span>
      </p>
    </Dialog>
  )
}
