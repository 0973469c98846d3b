import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Code } from '../ui/page.tsx'
import { useTitle } from '../ui/title.ts'
import { Entrance } from './entrance.tsx'
import { JoinKnown } from './join-known.tsx'
import { JoinNew } from './join-new.tsx'

/** The code stays behind the #, where no server or log sees it, and is sent once with the form. */
const codeInAddress = () => location.hash.slice(1)

export function JoinPage() {
  useTitle('Join · Slipway')
  const [code] = useState(codeInAddress)
  const [way, setWay] = useState<'new' | 'known' | 'told'>('new')
  const client = useQueryClient()
  const navigate = useNavigate()
  const done = () => {
    client.clear()
    void navigate({ to: '/setup', replace: true })
  }
  if (code === '') return <NoCode />
  if (way === 'new')
    return (
      <JoinNew
        code={code}
        onDone={done}
        onKnown={(isTold) => setWay(isTold ? 'told' : 'known')}
        onMade={() => void navigate({ to: '/sign-in', search: { next: '/setup' }, replace: true })}
      />
    )
  return <JoinKnown code={code} isTold={way === 'told'} onDone={done} onNew={() => setWay('new')} />
}

function NoCode() {
  return (
    <Entrance
      title="This link is not complete"
      note="What lets you in stands behind the # of the link, and is missing here."
    >
      <div className="mt-4 space-y-3 text-soft">
        <p>Copy the whole link from where you got it.</p>
        <p>
          On the machine of the instance, <Code>slipway admin bootstrap --again --email you@example.com</Code> prints a
          new one for its owner.
        </p>
        <p>
          <Link to="/sign-in" className="font-medium text-brand underline underline-offset-4">
            I have an account
          </Link>
        </p>
      </div>
    </Entrance>
  )
}
