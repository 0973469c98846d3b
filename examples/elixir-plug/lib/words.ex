defmodule Words do
  use Application
  import Plug.Conn

  def start(_, _), do: Bandit.start_link(plug: Words, port: 4000)
  def init(options), do: options
  def call(conn, _), do: send_resp(conn, 200, "plain elixir")
end
