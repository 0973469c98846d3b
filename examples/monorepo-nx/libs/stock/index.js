exports.stock = () => 'in stock, says nx'
