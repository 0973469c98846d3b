import { price } from 'prices'

document.body.append(price())
