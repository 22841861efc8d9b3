import { Link } from '@tanstack/react-router'
import BookOpen from 'lucide-react/icons/book-open'
import Braces from 'lucide-react/icons/braces'
import Keyboard from 'lucide-react/icons/keyboard'
import Mail from 'lucide-react/icons/mail'
import Search from 'lucide-react/icons/search'
import { useEffect } from 'react'
import { guideIndex } from '#contract/guides.ts'
import { mailboxPage } from '#contract/notifications/mailbox.ts'
import { readNotificationSettings } from '#contract/notifications/settings.ts'
import { docs } from '#contract/system.ts'
import { useCall } from '../call/use-call.ts'
import { useHasRole, useSession } from '../session/session.ts'
import { isOpenTo, NAVIGATION } from './navigation.ts'
import { OrgSwitch } from './org-switch.tsx'
import { Person } from './person.tsx'
import { UnreadCount } from './unread-count.tsx'

type Props = {
  isOpen: boolean
  onClose: () => void
  onSearch: () => void
  onShortcuts: () => void
}

/** Two levels of pages, the organization at the top and the person at the bottom. */
export function Sidebar({ isOpen, onClose, onSearch, onShortcuts }: Props) {
  const { me } = useSession()
  useEffect(() => {
    if (!isOpen) return
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && onClose()
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [isOpen, onClose])
  return (
    <>
      {isOpen && <button type="button" className="scrim" aria-label="Close menu" onClick={onClose} />}
      <aside id="sidebar" className={isOpen ? 'sidebar open' : 'sidebar'}>
        <OrgSwitch />
        <button type="button" className="search-button" onClick={onSearch}>
          <Search className="icon" />
          Search
          <span className="keys" aria-hidden="true">
            Ctrl K
          </span>
        </button>
        <nav aria-label="Main">
          {NAVIGATION.map(({ label, entries }) => (
            <div key={label ?? 'top'} className="nav-section">
              {label !== null && <h2>{label}</h2>}
              <ul>
                {entries
                  .filter((entry) => isOpenTo(entry, me.role))
                  .map((entry) => (
                    <li key={entry.to}>
                      <Link to={entry.to} activeOptions={{ exact: entry.to === '/' }}>
                        <entry.icon className="icon" />
                        {entry.label}
                        {entry.to === '/inbox' && <UnreadCount />}
                      </Link>
                    </li>
                  ))}
              </ul>
            </div>
          ))}
          <div className="nav-section">
            <ul>
              <li>
                <a href={guideIndex.path}>
                  <BookOpen className="icon" />
                  Guides
                </a>
              </li>
              <li>
                <a href={docs.path}>
                  <Braces className="icon" />
                  API documentation
                </a>
              </li>
              <MailboxLink />
              <li>
                <button type="button" onClick={onShortcuts}>
                  <Keyboard className="icon" />
                  Keyboard shortcuts
                </button>
              </li>
            </ul>
          </div>
        </nav>
        <Person />
      </aside>
    </>
  )
}

const THIS_MACHINE = ['127.0.0.1', 'localhost', '[::1]']

/** The way to mails that were kept instead of sent. The page is for owners on the machine of the server only. */
function MailboxLink() {
  const canOpen = useHasRole('owner') && THIS_MACHINE.includes(location.hostname)
  const settings = useCall(readNotificationSettings, {}, { enabled: canOpen })
  if (!canOpen || settings.data?.mail !== 'mailbox') return null
  return (
    <li>
      <a href={mailboxPage.path}>
        <Mail className="icon" />
        Local mailbox
      </a>
    </li>
  )
}
