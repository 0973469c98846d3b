import { IMAGE_REFERENCE } from '@slipway/contract/image-reference'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Card } from '../ui/page.tsx'
import type { Source } from './source.ts'

/** One field. Whether a registry has it is found out when it is deployed: only then is the credential of the registry used. */
export function ImageSource({ onSource }: { onSource(source: Source): void }) {
  const { image: asked = '' } = useSearch({ from: '/in/new' })
  const navigate = useNavigate()
  const [image, setImage] = useState(asked)
  const [isSaid, setSaid] = useState(false)
  const isRight = IMAGE_REFERENCE.test(image.trim())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSaid(true)
    if (!isRight) return
    void navigate({ to: '/new', search: (now) => ({ ...now, image: image.trim() }), replace: true })
    onSource({ kind: 'image', image: image.trim() })
  }
  return (
    <Card>
      <form onSubmit={submit} className="space-y-4 p-4">
        <Field
          label="Image"
          name="image"
          value={image}
          autoComplete="off"
          spellCheck={false}
          placeholder="nginx:1.29"
          hint="As registries name it: nginx:1.29 or registry.example.com/team/app:2."
          problem={
            isSaid && !isRight
              ? 'That is no name of an image, such as nginx:1.29 or registry.example.com/team/app:2.'
              : null
          }
          onChange={({ currentTarget }) => setImage(currentTarget.value)}
        />
        <Button type="submit" look="primary">
          Go on
        </Button>
      </form>
    </Card>
  )
}
