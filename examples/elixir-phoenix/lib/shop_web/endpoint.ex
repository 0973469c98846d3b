defmodule ShopWeb.Endpoint do
  use Phoenix.Endpoint, otp_app: :shop

  plug :hello

  def hello(conn, _), do: Plug.Conn.send_resp(conn, 200, "made with phoenix")
end
