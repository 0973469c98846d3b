import { ACTIONS, RESOURCES, type Scope } from '@slipway/contract/permissions'
import { toggled } from './scopes.ts'

type Props = { held: readonly Scope[]; chosen: readonly Scope[]; onChoose(scopes: Scope[]): void }

/** A box for each thing that its maker may do; where they may not, there is none to tick. */
export function ScopeMatrix({ held, chosen, onChoose }: Props) {
  return (
    <table className="w-full table-fixed text-left sm:max-w-2xl">
      <caption className="sr-only">What the token may do</caption>
      <thead className="text-xs text-faint">
        <tr>
          <th scope="col" className="w-[36%] py-1.5 font-medium">
            Resource
          </th>
          {ACTIONS.map((action) => (
            <th key={action} scope="col" className="py-1.5 text-center font-medium">
              {action}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="divide-y divide-line border-y border-line">
        {RESOURCES.map((resource) => (
          <tr key={resource}>
            <th scope="row" className="font-mono text-xs font-normal wrap-anywhere">
              {resource}
            </th>
            {ACTIONS.map((action) => {
              const scope: Scope = `${resource}:${action}`
              return (
                <td key={action} className="text-center">
                  {held.includes(scope) ? (
                    <label className="inline-flex size-8 items-center justify-center pointer-coarse:size-11">
                      <span className="sr-only">{scope}</span>
                      <input
                        type="checkbox"
                        checked={chosen.includes(scope)}
                        onChange={() => onChoose(toggled(chosen, scope))}
                        className="tick"
                      />
                    </label>
                  ) : (
                    <span className="text-faint">
                      <span aria-hidden>–</span>
                      <span className="sr-only">not yours to give</span>
                    </span>
                  )}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
