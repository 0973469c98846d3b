import { greet } from '@shop/greet'

document.body.append(greet('web'))
